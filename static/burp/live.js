// Follow the turns of a session: subscribe on every connection, keep what the reader opened,
// tick the timers, and scroll along only while the reader is at the bottom.
const socket = document.getElementById("socket");
const log = document.getElementById("log");
const NEAR_BOTTOM_PX = 64;
const REMARK_MAX_CHARACTERS = 400;
const PATIENCE_MS = 1500;
const RECONNECT_MAX_MS = 5000;
const SERVER_LEFT = [1000, 1001];
const NOT_YOURS = 4404;
// A connection may be gone without a word: after so long a silence the server is asked for a sign of life.
const SILENCE_MS = { running: 10_000, idle: 30_000 };
const ANSWER_MS = 5000;
const SIGN_OF_LIFE = "<!--here-->";

let leaving = false;
let connected = false;
let raw = null;
let link = null;
let heardAt = 0;
let askedAt = 0;
let before = {};

const isAtBottom = () => innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR_BOTTOM_PX;
const toBottom = () => scrollTo({ top: document.documentElement.scrollHeight });
const running = () => log.querySelector('.turn[data-state="running"]');
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// --- the connection ---

function createSocket(url) {
  raw = new WebSocket(url);
  heardAt = performance.now();
  askedAt = 0;
  return raw;
}

function subscribe(event) {
  connected = true;
  link = event.detail.socketWrapper;
  heardAt = performance.now();
  document.getElementById("connection").hidden = true;
  const last = log.querySelector(".turn:last-of-type");
  const known = last ? { turn: last.dataset.turn, after: Number(last.dataset.seq) } : {};
  link.sendImmediately(JSON.stringify({ action: "subscribe", ...known }));
}

function onClose(event) {
  const { code, target } = event.detail.event;
  if (target !== raw) return;
  connected = false;
  if (leaving) return;
  if (code === NOT_YOURS) {
    showConnection("This session can't be followed any more. Sign in again, or go to your other sessions.");
    return;
  }
  setTimeout(() => !connected && showConnection(), PATIENCE_MS);
  // htmx reconnects by itself after a lost connection, not after a server that said goodbye.
  if (SERVER_LEFT.includes(code)) setTimeout(() => event.detail.socketWrapper.reconnect(), PATIENCE_MS * (0.5 + Math.random()));
}

// Another socket in place of one that is gone, or never opens, though the browser has not noticed yet.
function renew() {
  connected = false;
  raw.onclose = raw.onerror = null;
  raw.close();
  showConnection();
  link?.reconnect();
}

function askForSign() {
  if (!connected || askedAt) return;
  askedAt = performance.now();
  raw.send(JSON.stringify({ action: "ping" }));
}

function supervise() {
  const now = performance.now();
  const isMute = connected ? askedAt && now - askedAt > ANSWER_MS : now - heardAt > 2 * ANSWER_MS && raw?.readyState === WebSocket.CONNECTING;
  if (isMute) renew();
  else if (now - heardAt > (running() ? SILENCE_MS.running : SILENCE_MS.idle)) askForSign();
}

function onMessage(event) {
  heardAt = performance.now();
  askedAt = 0;
  if (event.detail.message === SIGN_OF_LIFE) event.preventDefault();
  else noteBefore();
}

function showConnection(text) {
  const line = document.getElementById("connection");
  if (text) line.textContent = text;
  line.hidden = false;
}

// --- swaps ---

function noteBefore() {
  const touched = [...log.querySelectorAll("details[data-touched]")];
  before = {
    open: new Map(touched.map((details) => [details.id, details.open])),
    focus: document.activeElement?.closest("[id]")?.id,
    bottom: isAtBottom(),
    turns: log.querySelectorAll(".turn").length,
  };
}

function restore() {
  for (const [id, open] of before.open) {
    const details = document.getElementById(id);
    if (!details) continue;
    details.open = open;
    details.dataset.touched = "";
  }
  if (document.activeElement === document.body && before.focus) focusable(document.getElementById(before.focus))?.focus({ preventScroll: true });
}

const focusable = (element) => (element?.matches("details") ? element.querySelector("summary") : element);

// An answer that is more than a remark between two look-ups is read from its beginning: the look-ups
// fold away, the question goes to the top, and from then on nothing moves by itself.
function present(turn) {
  const answer = turn.querySelector(".answer");
  const activity = turn.querySelector(".activity");
  const isRead = "touched" in activity.dataset || activity.querySelector("[data-touched]");
  const isAnswer = answer.children.length > 1 || answer.textContent.length > REMARK_MAX_CHARACTERS;
  if (isAnswer && !("presented" in turn.dataset)) {
    turn.dataset.presented = "";
    if (!isRead) activity.open = false;
    if (before.bottom) turn.querySelector(".question").scrollIntoView();
    return before.bottom;
  }
  if (!answer.children.length && "presented" in turn.dataset) {
    delete turn.dataset.presented;
    if (!isRead) activity.open = true;
  }
  return false;
}

function close(turn) {
  turn.dataset.state = "ended";
  const answer = turn.querySelector(".answer");
  answer.setAttribute("aria-busy", "false");
  const activity = turn.querySelector(".activity");
  // What the reader looks into is not folded away under their eyes.
  const isRead = "touched" in activity.dataset || activity.querySelector("[data-touched]");
  if (!isRead && answer.children.length) activity.open = false;
}

function afterMessage() {
  restore();
  const isNew = log.querySelectorAll(".turn").length > before.turns;
  const ended = [...log.querySelectorAll('.turn[data-state="running"]')].filter((turn) => turn.querySelector('.foot:not([data-outcome=""])'));
  // At the end the page stays where it is: the reader is in the middle of a sentence.
  const last = log.lastElementChild;
  const isPresented = Boolean(last) && (running() === last || ended.includes(last)) && present(last);
  ended.forEach(close);
  if ((isNew || before.bottom) && !ended.length && !isPresented) toBottom();
  tick();
  showJump();
}

// --- scrolling ---

function showJump() {
  document.getElementById("jump").hidden = isAtBottom() || !running();
}

// --- timers ---

const started = new Map();

function tick() {
  for (const timer of document.querySelectorAll(".timer[data-running-s]")) {
    const key = timer.closest("[id]").id;
    const now = performance.now() / 1000;
    const since = now - Number(timer.dataset.runningS);
    // The earliest start counts, so that a late message never turns a timer back.
    if (!started.has(key) || started.get(key) > since) started.set(key, since);
    timer.textContent = spell(now - started.get(key));
  }
}

function spell(seconds) {
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${calm.matches ? Math.floor(seconds) : seconds.toFixed(1)} s`;
}

if (socket) {
  htmx.createWebSocket = createSocket;
  htmx.config.wsReconnectDelay = (failures) => Math.min(500 * 2 ** failures, RECONNECT_MAX_MS) * (0.5 + Math.random() / 2);
  setInterval(supervise, 1000);
  addEventListener("online", askForSign);
  addEventListener("offline", () => showConnection());
  document.addEventListener("visibilitychange", () => !document.hidden && askForSign());
  document.addEventListener("htmx:wsOpen", subscribe);
  document.addEventListener("htmx:wsClose", onClose);
  document.addEventListener("htmx:wsBeforeMessage", onMessage);
  document.addEventListener("htmx:wsAfterMessage", afterMessage);
  addEventListener("pagehide", () => (leaving = true));
  addEventListener("pageshow", () => (leaving = false));
  log.addEventListener("click", (event) => {
    const details = event.target.closest("summary")?.parentElement;
    if (details) details.dataset.touched = "";
  });
  document.getElementById("jump").addEventListener("click", toBottom);
  addEventListener("scroll", showJump, { passive: true });
  setInterval(tick, calm.matches ? 1000 : 200);
  tick();
  const arrived = performance.getEntriesByType("navigation")[0]?.type === "navigate";
  if (running()) {
    before = { bottom: true };
    if (!present(running())) toBottom();
  }
  if (!running() && arrived && log.children.length > 1) log.lastElementChild.scrollIntoView();
  showJump();
}
