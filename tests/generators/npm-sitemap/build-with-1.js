// The last release of sitemap 1, which still writes the mobile element.
import { mkdirSync, writeFileSync } from "node:fs";
import sitemap from "sitemap-1";

const ORIGIN = "https://cinema.example.com";
const OUT = process.env.OUTPUT || "out";
const titles = { "/": "The cinema", "/programme/": "Programme", "/m/": "Programme for phones" };

const nav = Object.entries(titles).map(([url, title]) => `<a href="${url}">${title}</a>`).join(" ");
for (const [url, title] of Object.entries(titles)) {
  mkdirSync(`${OUT}${url}`, { recursive: true });
  const head = `<meta charset="utf-8"><title>${title}</title><link rel="canonical" href="${ORIGIN}${url}">`;
  writeFileSync(`${OUT}${url}index.html`, `<!doctype html><html><head>${head}</head><body>${nav}<h1>${title}</h1></body></html>`);
}
const urls = [
  { url: "/", lastmodISO: "2025-02-01T00:00:00Z", img: [{ url: "https://cinema.example.com/front.jpg", title: "Front" }] },
  { url: "/programme/", changefreq: "daily", androidLink: "android-app://com.example.cinema/https/cinema.example.com/programme/" },
  { url: "/m/", mobile: true },
];
writeFileSync(`${OUT}/sitemap.xml`, sitemap.createSitemap({ hostname: ORIGIN, urls }).toString());
