// What the routes that Vercel makes of each configuration do with its paths: [{config, paths}] → {answers: [{error, redirects, rewrites, headers}]}
const { getTransformedRoutes } = require("@vercel/routing-utils");

const filled = (text, match) => text.replace(/\$(\d+)/g, (_, number) => match[number] || "");

function answered({ config, paths }) {
  const { routes, error } = getTransformedRoutes(config);
  const found = { error: error && error.message, redirects: {}, rewrites: {}, headers: {} };
  for (const path of error ? [] : paths) follow(routes || [], path, found);
  return found;
}

function follow(routes, path, found) {
  for (const route of routes) {
    const match = route.src && new RegExp(route.src).exec(path);
    if (!match || route.has || route.missing) continue;
    const headers = Object.entries(route.headers || {});
    const location = headers.find(([name]) => name.toLowerCase() === "location");
    if (location) found.redirects[path] = [route.status, filled(location[1], match)];
    else for (const [name, value] of headers) (found.headers[path] ||= {})[name.toLowerCase()] = value;
    if (route.dest) found.rewrites[path] = filled(route.dest, match);
    if (!route.continue) return;
  }
}

const questions = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify({ answers: questions.map(answered) }));
