// What superstatic answers with each configuration: [{settings, folder, paths}] → {answers: [{path: [status, location]}]}
const http = require("http");
const superstatic = require("superstatic").default;

const listening = (server) => new Promise((done) => server.listen(0, "127.0.0.1", done));
const ask = (port, path) => new Promise((done, failed) => {
  const options = { port, path, host: "127.0.0.1", agent: false };
  http.get(options, (response) => { response.resume(); done([response.statusCode, response.headers.location || ""]); }).on("error", failed);
});

async function answered({ settings, folder, paths }) {
  const serve = superstatic({ config: { public: ".", ...settings }, cwd: folder, fallthrough: false });
  const server = http.createServer((request, response) => serve(request, response, (error) => { response.statusCode = error ? 500 : 404; response.end(); }));
  await listening(server);
  const found = {};
  for (const path of paths) found[path] = await ask(server.address().port, path);
  server.close();
  return found;
}

(async () => {
  const answers = [];
  for (const question of JSON.parse(require("fs").readFileSync(0, "utf8"))) answers.push(await answered(question));
  console.log(JSON.stringify({ answers }));
})();
