export default function (config) {
  config.addCollection("listed", (api) => api.getAll().filter((item) => item.url && !item.data.unlisted));
  config.addPassthroughCopy({ "src/robots.txt": "robots.txt" });
  return { dir: { input: "src", output: process.env.OUTPUT || "_site" } };
}
