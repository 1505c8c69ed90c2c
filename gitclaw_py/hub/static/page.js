// Makes the page livelier. Without it everything can still be read and sent.

const FIRST_WAIT = 2000;
const LONGEST_WAIT = 30000;
const DAYS_SHOWN = 30;

const $ = (id) => document.getElementById(id);

// How long ago

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function ago(time) {
  const seconds = (Date.now() - time) / 1000;
  if (Math.abs(seconds) < 60) return "just now";
  const [unit, length] = UNITS.find(([, long]) => Math.abs(seconds) >= long);
  return words.format(-Math.round(seconds / length), unit);
}

function tellTimes(root) {
  for (const element of root.querySelectorAll("time")) {
    const time = Date.parse(element.dateTime);
    if (Number.isNaN(time) || Date.now() - time > DAYS_SHOWN * 86400000) continue;
    element.title ||= element.textContent;
    element.textContent = ago(time);
  }
}

// Code: a button that copies, and the keyboard for what is wider than the page

function copied(code) {
  const copy = code.cloneNode(true);
  // Of a suggestion, what is new.
  for (const part of copy.querySelectorAll(code.closest(".suggestion") ? ".removed, .sign" : ".sign")) part.remove();
  return copy.textContent;
}

function addCopyButtons(root) {
  for (const box of root.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(copied(box.querySelector("code")));
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    box.append(button);
  }
}

function reachByKeyboard() {
  for (const box of document.querySelectorAll(".code pre, .table")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

function enhance(root) {
  tellTimes(root);
  addCopyButtons(root);
}

// What is new: items are known by their id and by how the server wrote them

const written = new Map();

function remember() {
  for (const item of $("timeline").children) written.set(item.id, item.outerHTML);
  for (const id of ["head", "busy"]) written.set(id, $(id).innerHTML);
}

function take(item, old) {
  const fresh = document.importNode(item, true);
  written.set(item.id, item.outerHTML);
  enhance(fresh);
  if (!old) {
    $("timeline").append(fresh);
    return;
  }
  const open = [...old.querySelectorAll("details")].map((details) => details.open);
  fresh.querySelectorAll("details").forEach((details, at) => { details.open = open[at] ?? details.open; });
  const hadFocus = old.contains(document.activeElement);
  old.replaceWith(fresh);
  if (hadFocus) {
    fresh.tabIndex = -1;
    fresh.focus({ preventScroll: true });
  }
}

function takeTimeline(page) {
  const items = [...page.getElementById("timeline").children];
  const ids = new Set(items.map((item) => item.id));
  for (const item of [...$("timeline").children]) if (!ids.has(item.id)) item.remove();
  const added = items.filter((item) => !$(item.id) && item.matches(".entry"));
  for (const item of items) {
    if (written.get(item.id) !== item.outerHTML) take(item, $(item.id));
  }
  // Told in one sentence: a timeline that reads itself out would read whole tables.
  const authors = added.map((item) => item.querySelector("h2 strong").textContent);
  if (authors.length) $("news").textContent = `New comment by ${authors.join(", ")}`;
}

function takeRest(page) {
  $("thread").toggleAttribute("data-busy", page.getElementById("thread").hasAttribute("data-busy"));
  for (const id of ["head", "busy"]) {
    const fresh = page.getElementById(id).innerHTML;
    if (written.get(id) === fresh) continue;
    written.set(id, fresh);
    $(id).innerHTML = fresh;
    tellTimes($(id));
  }
}

let wait = FIRST_WAIT;
let waiting;

async function look() {
  try {
    const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    takeTimeline(page);
    takeRest(page);
    reachByKeyboard();
    wait = FIRST_WAIT;
  } catch {
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
  lookLater();
}

function lookLater() {
  clearTimeout(waiting);
  if ($("thread").hasAttribute("data-busy")) waiting = setTimeout(look, wait);
}

// The comment box: what is typed stays; only keys and buttons are added

function insert(box, text) {
  const start = box.value === "" || box.value.endsWith("\n") ? "" : "\n";
  box.value += start + text;
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}

function addCommandButtons(box) {
  for (const code of document.querySelectorAll("#commands code")) {
    const button = document.createElement("button");
    button.type = "button";
    const text = code.textContent + ("more" in code.dataset ? " " : "");
    button.addEventListener("click", () => insert(box, text));
    code.replaceWith(button);
    button.append(code);
  }
}

function rememberPerson(as) {
  const last = localStorage.getItem("as");
  if ([...as.options].some((option) => option.value === last)) as.value = last;
  as.addEventListener("change", () => localStorage.setItem("as", as.value));
}

function prepareForm(form) {
  const { body, as } = form.elements;
  rememberPerson(as);
  body.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", () => { sent = false; });
  addCommandButtons(body);
}

// The changes: a link to a comment in a folded thread unfolds it, and the batch is counted

function unfold() {
  const folded = location.hash && document.getElementById(location.hash.slice(1))?.closest("details");
  if (!folded || folded.open) return;
  folded.open = true;
  folded.scrollIntoView();
}

function prepareChanges(form) {
  rememberPerson(form.elements.as);
  const commit = form.querySelector("[value=batch]");
  const count = () => {
    const chosen = document.querySelectorAll("input[name=comment]:checked").length;
    commit.disabled = chosen === 0;
    commit.textContent = chosen === 1 ? "Commit suggestion" : chosen ? `Commit ${chosen} suggestions` : "Commit suggestions";
  };
  if (!commit) return;
  document.addEventListener("change", count);
  addEventListener("pageshow", count);
}

if ($("timeline")) remember();
enhance(document);
reachByKeyboard();
setInterval(() => tellTimes(document), 30000);
addEventListener("resize", reachByKeyboard);
addEventListener("toggle", reachByKeyboard, true);

const form = document.querySelector("#reply form");
if (form) prepareForm(form);
if ($("timeline")) {
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  lookLater();
}
if ($("files")) {
  addEventListener("hashchange", unfold);
  unfold();
  if ($("act")) prepareChanges($("act"));
}
