// The list of pages is open where there is room for it; without scripts a click opens it.
const list = document.querySelector("nav details");
const wide = matchMedia("(min-width: 60rem)");
const fit = () => { list.open = wide.matches; };
fit();
wide.addEventListener("change", fit);
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });
