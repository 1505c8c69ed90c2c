"""The page of a pull request's changes: the diff, the talk in it, and the buttons that apply suggestions.

Everything that can be pressed belongs to one form, so that who does it is chosen once and all works without script.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gitclaw_py.hub.diff_views import ChangedFile, ChangesView, Line, Part, Said, Talk
from gitclaw_py.hub.icons import avatar
from gitclaw_py.hub.markdown import render as markdown
from gitclaw_py.hub.moments import moment
from gitclaw_py.hub.page import TOKEN_FIELD, frame, head, reaction_list, role_mark, text

FORM = "act"
"""The id of the form. Its fields are ``as``, ``comment`` (those in the batch), ``message``, and of each thread
``reply-ID``; the button that was pressed is ``apply``, ``resolve``, ``unresolve`` or ``reply``."""

_SIGNS = {"+": "added", "-": "removed"}
_WORDS = {"+": "added", "-": "deleted"}


def render(view: ChangesView) -> bytes:
    """The page in UTF-8."""
    notice = view.thread.notice
    said = f'<p class="notice" role="alert">{escape(notice)}</p>\n' if notice else ""
    files = "".join(_file(file, number, can_act=bool(view.thread.people)) for number, file in enumerate(view.files))
    main = f"""\
{head(view.thread, on_files=True)}
{said}{_totals(view)}
<div class="files" id="files">
{files}</div>
{_bar(view)}"""
    return frame(view.thread, ("files", "Skip to the changes"), main)


def _totals(view: ChangesView) -> str:
    added, removed = sum(file.additions for file in view.files), sum(file.deletions for file in view.files)
    return f'<p class="totals">{_counts(added, removed)} in {_many(view.thread.changes or 0, "file")}</p>'


def _counts(added: int, removed: int) -> str:
    return (
        f'<span class="counts"><span class="plus">+{added}</span> <span class="minus">−{removed}</span>'
        f'<span class="hidden"> lines added and deleted</span></span>'
    )


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _file(file: ChangedFile, number: int, *, can_act: bool) -> str:
    parts = "".join(_part(part, can_act=can_act) for part in file.parts)
    table = (
        f'<div class="lines"><table><caption class="hidden">Lines of {escape(file.path)}</caption>'
        '<colgroup><col class="at"><col class="at"><col></colgroup>'
        '<thead class="hidden"><tr><th scope="col">Old line</th><th scope="col">New line</th>'
        f'<th scope="col">Text</th></tr></thead>\n{parts}</table></div>\n'
    )
    note = f'<p class="file-note">{escape(file.note)}</p>\n' if file.note else ""
    talks = "".join(_talk(talk, can_act=can_act) for talk in file.talks)
    return f"""\
<section class="file" aria-labelledby="file-{number}">
<header><h2 id="file-{number}"><code>{escape(file.path)}</code></h2>{_counts(file.additions, file.deletions)}</header>
{note}{f'<div class="talks">{talks}</div>' if talks else ""}{table if file.parts else ""}</section>
"""


def _part(part: Part, *, can_act: bool) -> str:
    lines = "".join(_line(line, can_act=can_act) for line in part.lines)
    place = f'<tr class="place"><td colspan="2"></td><td><pre>{escape(part.head)}</pre></td></tr>\n'
    return f"<tbody>\n{place}{lines}</tbody>\n"


def _line(line: Line, *, can_act: bool) -> str:
    kind = _SIGNS.get(line.sign, "same")
    word = f'<span class="hidden">{_WORDS[line.sign]}: </span>' if line.sign in _WORDS else ""
    end = "" if line.has_newline else '<span class="no-end">no line end</span>'
    row = (
        f'<tr class="{kind}"><td class="at">{_number(line.old)}</td><td class="at">'
        f'{_number(line.new)}</td><td><pre>{word}<span class="sign">{escape(line.sign)}</span>{escape(line.text)}'
        f"{end}</pre></td></tr>\n"
    )
    talks = "".join(_talk(talk, can_act=can_act) for talk in line.talks)
    return row + (f'<tr class="talks"><td colspan="3">{talks}</td></tr>\n' if talks else "")


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def _talk(talk: Talk, *, can_act: bool) -> str:
    said = "".join(map(_said, talk.said))
    inside = said + (_actions(talk) if can_act else "")
    place = escape(talk.place)
    if not talk.state:
        return f'<section class="talk" aria-label="Thread on {place.lower()}">\n{inside}</section>\n'
    mark = f'<span class="role">{escape(talk.state)}</span>'
    author = escape(talk.said[0].author.removesuffix("[bot]"))
    return (
        f'<details class="talk folded"><summary>{mark} {author} on {place.lower()}, '
        f"{_many(len(talk.said), 'comment')}</summary>\n{inside}</details>\n"
    )


def _said(said: Said) -> str:
    anchor = f"discussion_r{said.id}"
    return f"""\
<article class="said" id="{anchor}" aria-labelledby="{anchor}-by">
{avatar(said.author, is_bot=said.role == "bot")}
<header><h3 id="{anchor}-by"><strong>{escape(said.author.removesuffix("[bot]"))}</strong></h3> \
<a class="when" href="#{anchor}">{moment(said.at)}</a>{'<span class="edited">edited</span>' if said.edited else ""}\
{role_mark(said.role)}</header>
{text(markdown(said.body, said.replaced), said.hidden)}{reaction_list(said.reactions)}</article>
"""


def _actions(talk: Talk) -> str:
    first = talk.said[0].id
    resolve = "unresolve" if talk.is_resolved else "resolve"
    words = "Open conversation again" if talk.is_resolved else "Resolve conversation"
    return f"""\
<div class="actions">{_apply(talk)}</div>
<div class="answer">
<details><summary>Reply</summary>
<label class="hidden" for="reply-{first}">Reply, in Markdown</label>
<textarea id="reply-{first}" name="reply-{first}" form="{FORM}" rows="3"></textarea>
<button type="submit" form="{FORM}" name="reply" value="{first}">Reply</button>
</details>
<button type="submit" form="{FORM}" name="{resolve}" value="{escape(talk.id)}">{words}</button>
</div>
"""


def _apply(talk: Talk) -> str:
    if not talk.suggestion:
        return f'<p class="hint">{escape(talk.hint)}</p>' if talk.hint else ""
    number = talk.suggestion
    return (
        f'<label><input type="checkbox" form="{FORM}" name="comment" value="{number}"> Add suggestion to batch</label>'
        f'<button type="submit" class="main" form="{FORM}" name="apply" value="{number}">Apply suggestion</button>'
    )


def _bar(view: ChangesView) -> str:
    if not view.thread.people:
        return ""
    people = "".join(f"<option>{escape(login)}</option>" for login in view.thread.people)
    has_any = any(talk.suggestion for talk in _all_talks(view))
    # The first button is the one that Enter in a field would press: it does nothing.
    batch = (
        '<label for="message">Commit message</label><textarea id="message" name="message" rows="1" '
        'placeholder="Apply suggestions from code review"></textarea>'
        '<button type="submit" class="main" name="apply" value="batch">Commit suggestions</button>'
    )
    return f"""\
<form class="bar" id="{FORM}" method="post" accept-charset="utf-8" aria-label="Who does it, and the batch">
<button type="submit" disabled hidden></button>
<input type="hidden" name="{TOKEN_FIELD}" value="{escape(view.thread.form_token)}">
<label for="as">Act as</label>
<select id="as" name="as">{people}</select>
{batch if has_any else ""}
</form>
"""


def _all_talks(view: ChangesView) -> Iterator[Talk]:
    for file in view.files:
        yield from file.talks
        for part in file.parts:
            for line in part.lines:
                yield from line.talks
