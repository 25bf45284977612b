"""What is run in a page of the browser: before its own scripts, while it is waited for, and to read it.

Theory of operation. `BEFORE` runs in the page's own world. The others run in an isolated one, where the page can
change no function; only names of elements (`<form name=…>`) reach it there, so that getters are taken from their
prototypes. An isolated world lives as long as its document, so that `LOOK` keeps its observer between two looks.
Open shadow roots are part of the page: their content is read in the place where it is shown, as Google reads it
(https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics).
"""

import re
from collections.abc import Iterable

# Pages start alike, and have no way out of the tab.
BEFORE = """(() => {
  for (const kept of ["localStorage", "sessionStorage"]) { try { window[kept].clear() } catch {} }
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "SharedWorker"])
    delete window[name];
  try { delete Navigator.prototype.serviceWorker } catch {}
  window.open = () => null;
  window.print = () => {};
})()"""

_ROOTS = """
const getter = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const shadowOf = getter(Element, "shadowRoot");
const find = (root, selector) =>
  (root === document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector);
const openRoots = () => {
  const found = [document];
  for (let at = 0; at < found.length; at++)
    for (const element of find(found[at], "*")) { const root = shadowOf(element); if (root) found.push(root); }
  return found;
};
"""

LOOK = (
    f"""({{selectors, start, again, guess, notices}}) => {{{_ROOTS}"""
    r"""
const watch = globalThis.sitemapAction ??= {changed: true, roots: new Set(), observer: null};
watch.observer ??= new MutationObserver(() => { watch.changed = true; });
const everything = {subtree: true, childList: true, characterData: true, attributes: true};
const isShown = (element) => element.checkVisibility({visibilityProperty: true});
const words = new RegExp(notices.text, "iu"), names = new RegExp(notices.names, "iu");

const texts = (root, most) => {
  const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node; found.length < most && (node = walker.nextNode());) {
    const text = node.data.trim(), parent = node.parentElement;
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    if (!parent || (!/^(script|style|noscript|title)$/i.test(parent.localName) && isShown(parent))) found.push(text);
  }
  return found;
};
const isNotice = (text) => {
  const count = text.length > 100 ? Infinity : text.split(/\s+/u).length;
  return count <= notices.words && ((count <= 5 && /(\u2026|\.\.)$/u.test(text)) || words.test(text));
};
const isBusy = (root) =>
  [...find(root, "[aria-busy=true], [role=progressbar], progress")].some(isShown) ||
  [...find(root, "[role=status]")].some((one) => one.childElementCount && isShown(one) && !texts(one, 1).length) ||
  [...find(root, "[class], [id]")].some((one) => {
    const named = `${one.getAttribute("class") ?? ""} ${one.getAttribute("id") ?? ""}`;
    return names.test(named) && isShown(one);
  });
const isEmpty = (element, roots) => {
  const inside = roots.filter((root) => root !== document && element.contains(root.host));
  return ![element, ...inside].some((one) => texts(one, 1).length);
};
const isThere = (roots) => {
  const found = roots.flatMap((root) => texts(root, 5000));
  return found.length && !found.some(isNotice) && !roots.some(isBusy) &&
    !notices.roots.some((one) => [...find(document, one)].some((element) => isEmpty(element, roots)));
};
const roots = openRoots();
for (const root of roots) if (!watch.roots.has(root)) {
  watch.roots.add(root);
  watch.observer.observe(root, everything);
  watch.changed = again;
}
const changed = watch.changed;
watch.changed = false;
const left = location.href.split(/[?#]/)[0] !== start.split("?")[0];
const matches = !selectors.length || roots.some((root) => selectors.some((one) => find(root, one).length));
const size = (document.documentElement?.textContent ?? "").length;
return {changed, size, ready: Boolean(left || matches || (guess && !changed && isThere(roots)))};
}"""
)
"""Whether the page has changed since the last look (`again`: there was one), the characters of its text, and whether it
is ready: one of `selectors` matches, or it was left; with `guess` also a page that shows text, and neither says nor
shows that it is loading.
"""

READ = (
    f"""({{most}}) => {{{_ROOTS}"""
    r"""
const outer = getter(Element, "outerHTML"), children = getter(Node, "childNodes");
const flattened = (root) => {
  const inert = document.implementation.createHTMLDocument("");
  const copy = inert.importNode(root, false), open = [[root, copy]];
  while (open.length) {
    const [from, to] = open.pop();
    const shadow = from instanceof Element ? shadowOf(from) : null;
    for (const child of children(shadow ?? from)) {
      const slot = child instanceof HTMLSlotElement && child.getRootNode() instanceof ShadowRoot;
      for (const one of slot ? child.assignedNodes({flatten: true}) : [child])
        open.push([one, to.appendChild(inert.importNode(one, false))]);
    }
  }
  return copy;
};
const root = getter(Document, "documentElement")(document);
const html = !root ? "" : outer(openRoots().length > 1 ? flattened(root) : root);
return [location.href, html.length > most ? null : html];
}"""
)
"""The address of the page and its document as HTML; null for a document of more than `most` characters."""

SHEETS = """({most}) =>
  [...new Set([...document.querySelectorAll("link[rel~=stylesheet i]")].map((one) => one.href))].slice(0, most)"""
"""The URLs of its style sheets, each once."""

DRESS = """({sheets}) => {
  const links = [...document.querySelectorAll("link[rel~=stylesheet i]")].filter((one) => sheets[one.href]);
  const made = links.map((one) => {
    const sheet = new CSSStyleSheet({media: one.media});
    sheet.replaceSync(sheets[one.href]);
    return sheet;
  });
  document.adoptedStyleSheets = [...made, ...document.adoptedStyleSheets];
  scrollTo(0, 0);
}"""
"""Gives a document the text of its style sheets: `sheets` has it by URL."""

_WORDS = (
    *("loading", "please wait", "one moment", "just a moment", "fetching", "initializing"),
    *("wird geladen", "werden geladen", "lädt", "bitte warten", "einen moment"),
    *("chargement", "veuillez patienter", "un instant"),
    *("cargando", "espere", "espera", "un momento"),
    *("carregando", "a carregar", "aguarde", "um momento"),
    *("caricamento", "attendere", "attendi", "un attimo"),
    *("bezig met laden", "wordt geladen", "even geduld", "een ogenblik"),
    *("laddar", "läser in", "vänta", "indlæser", "vent venligst", "laster inn", "vennligst vent"),
    *("ladataan", "odota hetki"),
    *("ładowanie", "wczytywanie", "proszę czekać", "načítání", "načítá se", "čekejte prosím", "načítava sa"),
    *("betöltés", "kérem várjon", "se încarcă", "vă rugăm așteptați", "učitavanje", "nalaganje"),
    *("загрузка", "загружается", "подождите", "завантаження", "зачекайте", "зареждане"),
    *("φόρτωση", "παρακαλώ περιμένετε", "yükleniyor", "lütfen bekleyin"),
    *("memuat", "mohon tunggu", "đang tải", "vui lòng chờ"),
    *("טוען", "אנא המתן", "جار التحميل", "جارٍ التحميل", "جاري التحميل", "يرجى الانتظار", "در حال بارگذاری"),
    *("लोड हो रहा", "कृपया प्रतीक्षा करें"),
)
_UNSPACED = (
    *("読み込み中", "読込中", "ロード中", "お待ちください"),
    *("加载中", "正在加载", "请稍候", "请稍等", "載入中", "正在載入", "請稍候"),
    *("로딩", "불러오는 중", "로드 중", "잠시만 기다려"),
    *("กำลังโหลด", "โปรดรอ", "กรุณารอ"),
)
"""Of languages that write without spaces between words, or add endings."""
_NAME = "(?<![a-z])(?:loading|loader)(?![a-z])|spinner|skeleton|shimmer"


def text_expression(words: Iterable[str] = ()) -> str:
    """An expression of JavaScript (flags `iu`) that finds a notice in a short text; with more words of the config."""
    spaced = "|".join(map(_literal, dict.fromkeys((*_WORDS, *(word.lower() for word in words)))))
    return rf"(?<!\p{{L}})(?:{spaced})(?!\p{{L}})|{'|'.join(map(_literal, _UNSPACED))}"


def name_expression(words: Iterable[str] = ()) -> str:
    """One that finds it in classes and ids."""
    return "|".join((_NAME, *(f"(?<![a-z]){_literal(word.lower())}(?![a-z])" for word in words)))


def _literal(text: str) -> str:
    """JavaScript with the flag `u` takes no escape that is needless."""
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", text)
