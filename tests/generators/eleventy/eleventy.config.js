export default function (config) {
  config.addPassthroughCopy({ "src/robots.txt": "robots.txt" });
  return { dir: { input: "src", output: process.env.OUTPUT || "_site" } };
}
