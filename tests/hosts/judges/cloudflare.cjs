// What Cloudflare's parsers and asset servers make of builds: [{pages, redirects, headers, files, paths}] → {answers: [{path: [status, location, file, tag]}], lines: [those of the rules that count]}
// They are bundled with its tools and exported by none: each source is a section below a comment with its path.
const { readFileSync } = require("fs");

function sections(bundle, names, exported) {
  const parts = readFileSync(`${process.env.NODE_PATH}/${bundle}`, "utf8").split(/^\/\/ (\S+\.[cm]?[jt]s)$/m);
  const found = names.map((name) => parts.filter((_, at) => at % 2 === 0 && parts[at - 1] === `../${name}`).join("\n"));
  const before = `const __name = (one) => one, __export = () => {}, init_import_meta_url = () => {}, HTMLRewriter = undefined;
    const __esm = (one, done) => () => { if (!done) { done = true; Object.values(one)[0](); } };
    const init_metadata = init_import_meta_url, init_patchUrl = init_import_meta_url, init_handler2 = init_import_meta_url;`;
  return new Function("require", `${before}${found.join("\n")}\nreturn {${exported}}`)(require);
}

const shared = "workers-shared/utils/configuration/";
const { parseRedirects, parseHeaders, constructRedirects, constructHeaders } = sections(
  "miniflare/dist/src/index.js",
  ["constants", "validateURL", "parseHeaders", "parseRedirects", "constructConfiguration"].map((name) => `${shared}${name}.ts`),
  "parseRedirects, parseHeaders, constructRedirects, constructHeaders",
);
const { handleRequest } = sections(
  "miniflare/dist/src/workers/assets/assets.worker.js",
  ["utils/responses", "asset-worker/src/compatibility-flags", "asset-worker/src/constants", "asset-worker/src/utils/rules-engine",
    "asset-worker/src/utils/headers", "asset-worker/src/handler"].map((name) => `workers-shared/${name}.ts`),
  "handleRequest",
);
const { generateHandler } = sections(
  "wrangler/wrangler-dist/cli.js",
  ["workers-shared/asset-worker/src/utils/rules-engine.ts", "pages-shared/asset-server/responses.ts", "pages-shared/asset-server/handler.ts"],
  "generateHandler: (init_rules_engine(), init_responses3(), init_handler3(), generateHandler)",
);

const quiet = { log() {}, info() {}, warn() {}, debug() {}, error() {} };
const env = { JAEGER: { enterSpan: (_, run) => run({ setTags() {}, addLogs() {} }) } };

function byPages(request, metadata, files) {
  return generateHandler({
    request, metadata, logError: (error) => { throw error; },
    findAssetEntryForPath: async (path) => (files.has(path) ? path : null),
    getAssetKey: (entry) => entry, negotiateContent: () => ({}),
    fetchAsset: async (key) => ({ body: key, contentType: "text/html" }),
  });
}

async function byWorkers(request, metadata, files) {
  const configuration = { ...metadata, redirects: metadata.redirects || { version: 1, staticRules: {}, rules: {} },
    html_handling: "auto-trailing-slash", not_found_handling: "none", account_id: 0, script_id: 0 };
  const exists = async (path) => (files.has(path) ? path : null);
  const get = async (key) => ({ readableStream: key, contentType: "text/html", cacheStatus: "MISS" });
  return handleRequest(request, env, configuration, exists, get, { setData() {} });
}

async function answered({ pages, redirects, headers, files, paths }) {
  const metadata = {
    ...constructRedirects({ redirects: parseRedirects(redirects), logger: quiet }),
    ...constructHeaders({ headers: parseHeaders(headers), logger: quiet }),
  };
  const found = {};
  for (const path of paths) {
    const ask = pages ? byPages : byWorkers;
    const request = new Request(`https://www.example.com${path}`);
    const failed = () => new Response(null, { status: 500 }); // as the worker does where a target is no URL
    const answer = await ask(request, metadata, new Set(files.map((file) => `/${file}`))).catch(failed);
    const file = answer.status === 200 ? await answer.text() : "";
    found[path] = [answer.status, answer.headers.get("location") || "", file, answer.headers.get("x-robots-tag") || ""];
  }
  return found;
}

const questions = JSON.parse(readFileSync(0, "utf8"));
const lines = questions.map(({ redirects }) => parseRedirects(redirects).rules.map((rule) => rule.lineNumber));
Promise.all(questions.map(answered)).then((answers) => console.log(JSON.stringify({ answers, lines })));
