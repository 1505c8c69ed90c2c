"""How much someone may do in a repository of the forge."""

from enum import IntEnum


class Level(IntEnum):
    """What an account may do in a repository, from nothing to everything.

    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5
