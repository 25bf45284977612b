// TRAILING_SLASH: "true", "false", or nothing for the default, in which files and links have no common spelling.
const trailingSlash = { true: true, false: false }[process.env.TRAILING_SLASH];

/** @type {import("@docusaurus/types").Config} */
module.exports = {
  title: "Harbour",
  url: "https://harbour.example.com",
  baseUrl: "/",
  trailingSlash,
  onBrokenLinks: "throw",
  presets: [
    [
      "classic",
      {
        docs: { sidebarPath: "./sidebars.js" },
        blog: { showReadingTime: false, postsPerPage: 2, onInlineTags: "ignore", onUntruncatedBlogPosts: "ignore" },
      },
    ],
  ],
  themeConfig: {
    navbar: {
      title: "Harbour",
      items: [
        { type: "doc", docId: "intro", label: "Docs" },
        { to: "/blog", label: "Blog" },
        { to: "/pricing", label: "Pricing" },
      ],
    },
  },
};
