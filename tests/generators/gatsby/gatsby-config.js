module.exports = {
  siteMetadata: { title: `Harbour`, siteUrl: `https://gatsby.example.com` },
  plugins: [`gatsby-plugin-sitemap`],
}
