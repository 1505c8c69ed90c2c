"""The page of an issue or a pull request, as one HTML document without inline script or style."""

from __future__ import annotations

import re
from html import escape
from itertools import count
from urllib.parse import quote

from gitclaw_py.hub.icons import LOGO, STATES, avatar
from gitclaw_py.hub.markdown import render as markdown
from gitclaw_py.hub.moments import moment
from gitclaw_py.hub.views import Entry, Happening, Reaction, Remark, Reviewed, ThreadView

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy that the page keeps to; the server sends it along."""
ASSETS = "/static/"
"""Where the page expects the files of the folder ``static``."""
TOKEN_FIELD = "form_token"  # noqa: S105 - the name of a field
"""The hidden field of the form; the others are ``body`` and ``as``."""

_ROLES = {"maintain": "maintainer", "none": "", "bot": "bot"}
_REACTIONS = {
    "+1": "\U0001f44d",
    "-1": "\U0001f44e",
    "laugh": "\U0001f604",
    "confused": "\U0001f615",
    "heart": "\u2764\ufe0f",
    "hooray": "\U0001f389",
    "rocket": "\U0001f680",
    "eyes": "\U0001f440",
}
_EXAMPLES = ("/gitclaw ", "/apply 1,3", "/reject 2 ", "/refine 1 ", "/undo", "/gitclaw status", "/gitclaw help")
_PLACEHOLDER = """\
Say something, or start a line with a command:
/gitclaw add a --json flag
/apply 1,3"""
_CODE = re.compile(r"`([^`]+)`")


def render(view: ThreadView) -> bytes:
    """The page in UTF-8. It asks for nothing but the files below ``ASSETS``."""
    return frame(
        view,
        ("reply", "Skip to the comment box"),
        f"""\
{head(view)}
<ol class="timeline" id="timeline">
{_timeline(view)}</ol>
<p class="busy" id="busy" role="status">{_busy(busy=view.busy)}</p>
<p class="hidden" id="news" role="status"></p>
{_reply(view)}
""",
    )


def _kind(view: ThreadView) -> str:
    return "Pull request" if view.is_pull_request else "Issue"


def frame(view: ThreadView, skip: tuple[str, str], main: str) -> bytes:
    """A whole page around its main part; ``skip`` is the id of what one wants to get to, and how that is called."""
    busy = " data-busy" if view.busy else ""
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(view.title)} · {_kind(view)} #{view.number} · {escape(view.repository)}</title>
<link rel="icon" href="{ASSETS}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{ASSETS}page.css">
<script type="module" src="{ASSETS}page.js"></script>
</head>
<body>
<a class="skip" href="#{skip[0]}">{skip[1]}</a>
{_banner(view.repository)}
<main id="thread"{busy}>
{main}</main>
<footer class="foot"><p>This page and its repository live on this machine only.</p></footer>
</body>
</html>
""".encode("utf-8", "replace")


def _banner(repository: str) -> str:
    owner, slash, name = repository.partition("/")
    return (
        f'<header class="banner">{LOGO}<p class="repository"><span>{escape(owner)}</span>'
        f"<span> {slash} </span><strong>{escape(name)}</strong></p></header>"
    )


def head(view: ThreadView, *, on_files: bool = False) -> str:
    """The title and the state of a thread, and the way to a pull request's other page."""
    kind = _kind(view)
    icon, word = STATES.get((view.state, view.is_pull_request), ("", view.state))
    lock = '<span class="lock">Locked</span>' if view.locked else ""
    pull = " pull" if view.is_pull_request else ""
    labels = "".join(f"<li>{escape(label)}</li>" for label in view.labels)
    return f"""\
<header class="head" id="head">
<h1>{_line(view.title)} <span class="number"><span class="hidden">{kind} </span>#{view.number}</span></h1>
<div class="facts"><span class="state {escape(view.state)}{pull}">{icon}{escape(word)}</span>{lock}\
<p>{_about(view)}</p></div>
{f'<ul class="labels" aria-label="Labels">{labels}</ul>' if labels else ""}
{_tabs(view, on_files=on_files)}</header>"""


def _tabs(view: ThreadView, *, on_files: bool) -> str:
    if view.changes is None:
        return ""
    page = f"/{quote(view.repository)}/pull/{view.number}"
    tabs = (
        ("Conversation", page, _comments(view), not on_files),
        ("Files changed", f"{page}/files", view.changes, on_files),
    )
    here = ' aria-current="page"'
    links = "".join(
        f'<a href="{address}"{here if is_here else ""}>{name} <span>{count}</span></a>'
        for name, address, count, is_here in tabs
    )
    return f'<nav class="tabs" aria-label="Pull request">{links}</nav>\n'


def _comments(view: ThreadView) -> int:
    return sum(isinstance(entry, Entry | Reviewed) and entry.id != 0 for entry in view.entries)


def _about(view: ThreadView) -> str:
    comments = _comments(view)
    counted = f"{comments} comment{'' if comments == 1 else 's'}"
    if view.is_pull_request:
        return f'<span class="branches">{_line(view.branch_line)}</span> · {counted}'
    opened = next((entry for entry in view.entries if isinstance(entry, Entry) and entry.id == 0), None)
    by = f"<strong>{escape(opened.author)}</strong> opened this {moment(opened.at)} · " if opened else ""
    return by + counted


def _line(text: str) -> str:
    """A line of plain text in which what stands between backquotes is code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _timeline(view: ThreadView) -> str:
    """One list item each, with an id that stays the same, by which the script finds what is new."""
    numbers = count(1)
    items = []
    for entry in view.entries:
        match entry:
            case Entry():
                items.append(_entry(entry))
            case Happening():
                items.append(_happening(entry, next(numbers)))
            case Reviewed():
                items.append(_reviewed(entry))
    return "".join(items)


def _entry(entry: Entry) -> str:
    # The anchor that GitHub's own html_url of a comment has.
    anchor = f"issuecomment-{entry.id}" if entry.id else "opening"
    name = entry.author.removesuffix("[bot]")
    verb = "commented" if entry.id else "wrote"
    body = markdown(entry.body) if entry.body.strip() else "<p><em>No description.</em></p>\n"
    return f"""\
<li class="entry" id="{anchor}">
{avatar(entry.author, is_bot=entry.role == "bot")}
<article class="comment" aria-labelledby="{anchor}-by">
<header><h2 id="{anchor}-by"><strong>{escape(name)}</strong> <span>{verb}</span></h2> \
<a class="when" href="#{anchor}">{moment(entry.at)}</a>\
{'<span class="edited">edited</span>' if entry.edited else ""}{role_mark(entry.role)}</header>
{text(body, entry.hidden)}{reaction_list(entry.reactions)}</article>
</li>
"""


def text(body: str, hidden: str) -> str:
    """A comment's HTML in its frame, folded when it is ``hidden`` for a reason."""
    framed = f'<div class="markdown">\n{body}</div>\n'
    if not hidden:
        return framed
    reason = escape(hidden.replace("_", " "))
    return f'<details class="folded"><summary>This comment was hidden as {reason}.</summary>\n{framed}</details>\n'


def _reviewed(review: Reviewed) -> str:
    anchor = f"pullrequestreview-{review.id}"
    body = text(markdown(review.body), review.hidden) if review.body.strip() else ""
    remarks = "".join(map(_remark, review.remarks))
    return f"""\
<li class="entry" id="{anchor}">
{avatar(review.author, is_bot=review.role == "bot")}
<article class="comment" aria-labelledby="{anchor}-by">
<header><h2 id="{anchor}-by"><strong>{escape(review.author.removesuffix("[bot]"))}</strong> \
<span>{escape(review.verb)}</span></h2> <a class="when" href="#{anchor}">{moment(review.at)}</a>\
{role_mark(review.role)}</header>
{body}{f'<ul class="remarks" aria-label="On the changes">{remarks}</ul>' if remarks else ""}</article>
</li>
"""


def _remark(remark: Remark) -> str:
    state = f' <span class="role">{escape(remark.state)}</span>' if remark.state else ""
    return f'<li id="discussion_r{remark.id}"><a href="{escape(remark.link)}">{_line(remark.place)}</a>{state}</li>'


def role_mark(role: str) -> str:
    """The role of whoever wrote something."""
    word = _ROLES.get(role, role)
    return f'<span class="role">{escape(word)}</span>' if word else ""


def reaction_list(reactions: tuple[Reaction, ...]) -> str:
    """How many reacted, and how."""
    shown = "".join(map(_reaction, reactions))
    return f'<ul class="reactions" aria-label="Reactions">{shown}</ul>\n' if shown else ""


def _reaction(reaction: Reaction) -> str:
    name = escape(reaction.content)
    sign = _REACTIONS.get(reaction.content)
    shown = f'<span aria-hidden="true">{sign}</span><span class="hidden">{name}</span>' if sign else name
    return f'<li title="{name}">{shown} {reaction.given}</li>'


def _happening(happening: Happening, number: int) -> str:
    text = _line(happening.text)
    if happening.link and happening.link.startswith(("/", "#", "http://", "https://")):
        text = f'<a href="{escape(happening.link)}">{text}</a>'
    return f'<li class="happening" id="happening-{number}"><p>{text} <span>{moment(happening.at)}</span></p></li>\n'


def _busy(*, busy: bool) -> str:
    return "<span>A run is at work. Its answer appears here by itself.</span>" if busy else ""


def _reply(view: ThreadView) -> str:
    said = f'<p class="notice" role="alert">{escape(view.notice)}</p>\n' if view.notice else ""
    locked = '<p class="notice">This conversation is locked: only people who can write may comment.</p>\n'
    form = _form(view) if view.people else ""
    return f"""\
<section class="reply" id="reply" aria-labelledby="reply-title">
<h2 id="reply-title">Add a comment</h2>
{locked if view.locked else ""}{said}{form}</section>"""


def _example(command: str) -> str:
    """A command to press; one that ends with a space waits for more words."""
    return f"<code{' data-more' if command.endswith(' ') else ''}>{command.strip()}</code>"


def _form(view: ThreadView) -> str:
    people = "".join(f"<option>{escape(login)}</option>" for login in view.people)
    examples = " ".join(map(_example, _EXAMPLES))
    return f"""\
<form method="post" accept-charset="utf-8">
<input type="hidden" name="{TOKEN_FIELD}" value="{escape(view.form_token)}">
<label class="hidden" for="body">Comment, in Markdown</label>
<textarea id="body" name="body" rows="6" required aria-describedby="commands" placeholder="{escape(_PLACEHOLDER)}">\
</textarea>
<p class="commands" id="commands"><span>Commands:</span> {examples}</p>
<div class="send">
<label for="as">Comment as</label>
<select id="as" name="as">{people}</select>
<button type="submit" aria-keyshortcuts="Control+Enter">Comment</button>
</div>
</form>
"""
