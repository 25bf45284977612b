import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SitemapAndIndexStream, SitemapStream } from "sitemap";

const ORIGIN = "https://theatre.example.com";
const OUT = process.env.OUTPUT || "out";

const video = (content) => ({
  thumbnail_loc: "https://theatre.example.com/stills/rehearsal.jpg",
  title: "The rehearsal",
  description: "Ten minutes of the last rehearsal before the first night.",
  duration: 600,
  rating: 4.5,
  view_count: 1200,
  publication_date: "2025-02-03T10:00:00Z",
  family_friendly: "YES",
  restriction: "AT DE CH",
  "restriction:relationship": "allow",
  platform: "web mobile",
  "platform:relationship": "allow",
  price: "1.99",
  "price:currency": "EUR",
  "price:type": "rent",
  "price:resolution": "HD",
  requires_subscription: "NO",
  uploader: "The theatre",
  "uploader:info": "https://theatre.example.com/about/",
  live: "NO",
  tag: ["rehearsal", "stage"],
  category: "Theatre",
  "player_loc": "https://player.example.com/rehearsal",
  "player_loc:allow_embed": "YES",
  content_loc: content,
});
const pages = [
  { url: "/", title: "The theatre", lastmod: "2025-02-01", changefreq: "daily", priority: 1.0 },
  {
    url: "/gallery/",
    title: "Gallery",
    img: [
      "/stills/curtain.jpg",
      { url: "/stills/stage.jpg", caption: "The stage", title: "Stage", geoLocation: "Graz, Austria", license: "https://theatre.example.com/licence.html" },
    ],
  },
  { url: "/rehearsal/", title: "Rehearsal", video: video("https://theatre.example.com/films/rehearsal.mp4") },
  {
    url: "/news/first-night/",
    title: "First night",
    news: {
      publication: { name: "The theatre paper", language: "en" },
      genres: "PressRelease",
      publication_date: "2025-02-04",
      title: "First night sold out",
      keywords: "theatre, first night",
    },
  },
  {
    url: "/about/",
    title: "About us",
    links: [
      { lang: "en", url: "https://theatre.example.com/about/" },
      { lang: "de", url: "https://theatre.example.com/de/about/" },
    ],
    androidLink: "android-app://com.example.theatre/https/theatre.example.com/about/",
    ampLink: "https://theatre.example.com/amp/about/",
  },
  {
    url: "/de/about/",
    title: "Über uns",
    links: [
      { lang: "en", url: "https://theatre.example.com/about/" },
      { lang: "de", url: "https://theatre.example.com/de/about/" },
    ],
  },
  { url: "/tickets/", title: "Tickets", expires: "2025-12-31" },
];

const nav = pages.map(({ url, title }) => `<a href="${url}">${title}</a>`).join(" ");
for (const { url, title } of pages) {
  mkdirSync(`${OUT}${url}`, { recursive: true });
  const head = `<meta charset="utf-8"><title>${title}</title><link rel="canonical" href="${ORIGIN}${url}">`;
  writeFileSync(`${OUT}${url}index.html`, `<!doctype html><html><head>${head}</head><body>${nav}<h1>${title}</h1></body></html>`);
}

const index = new SitemapAndIndexStream({
  limit: 4,
  getSitemapStream: (number) => {
    const stream = new SitemapStream({ hostname: ORIGIN });
    const name = `sitemap-${number}.xml`;
    return [`${ORIGIN}/${name}`, stream, stream.pipe(createWriteStream(`${OUT}/${name}`))];
  },
});
await pipeline(Readable.from(pages.map(({ title, ...item }) => item)), index, createWriteStream(`${OUT}/sitemap.xml`));
