module.exports = {
  siteUrl: "https://planetarium.example.com",
  outDir: "out",
  output: "export",
  trailingSlash: true,
  generateRobotsTxt: true,
  alternateRefs: [{ href: "https://de.planetarium.example.com", hreflang: "de" }],
};
