export default {
  title: "Orchard",
  cleanUrls: process.env.CLEAN_URLS === "true",
  sitemap: { hostname: "https://orchard.example.com" },
  themeConfig: {
    nav: [{ text: "Guide", link: "/guide/" }],
    sidebar: [
      { text: "Guide", items: [{ text: "Planting", link: "/guide/planting" }, { text: "Pruning", link: "/guide/pruning" }] },
    ],
  },
};
