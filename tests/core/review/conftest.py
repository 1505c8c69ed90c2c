from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reviews import scene
from tests.reviews.scene import Desk
from tests.sandbox import made


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One repository for all cases: they share nothing but objects."""
    sandbox = made(tmp_path_factory.mktemp("reviews") / "repo")
    sandbox.commit()
    with scene.desk(sandbox) as found:
        yield found
