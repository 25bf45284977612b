// What the emulator of Azure Static Web Apps does with paths: [{config, folder, paths}] → {answers: [{path: [status, location, file, tag]}]}
import { existsSync, readFileSync, statSync } from "node:fs";

const cli = `${process.env.NODE_PATH}/@azure/static-web-apps-cli/dist`;
const { DEFAULT_CONFIG } = await import(`${cli}/config.js`);
const { tryGetMatchingRoute, isRouteRequiringUserRolesCheck } = await import(`${cli}/msha/routes-engine/rules/routes.js`);
const { getResponse } = await import(`${cli}/msha/middlewares/response.middleware.js`);

function answered(config, path) {
  const headers = {};
  const response = { statusCode: 200, end() {}, writeHead() {}, write() {},
    setHeader: (name, value) => (headers[name.toLowerCase()] = value), removeHeader: (name) => delete headers[name.toLowerCase()] };
  const request = { url: path, method: "GET", headers: { host: "x.com" } };
  const route = tryGetMatchingRoute(request, config);
  if ([404, 403, 401].includes(route?.statusCode)) return [route.statusCode, "", "", ""];
  if (!isRouteRequiringUserRolesCheck(request, route, false, 0)) return [401, "", "", ""];
  getResponse(request, response, route, config, false, false);
  const shown = `${DEFAULT_CONFIG.outputLocation}${request.url}`;
  const folder = response.statusCode === 200 && existsSync(shown) && statSync(shown).isDirectory();
  if (folder) request.url += "/index.html"; // as the server behind it does
  if (folder && !existsSync(`${shown}/index.html`)) return [404, "", "", ""];
  const location = (headers.location || "").replace(/^\w+:\/\/x\.com(?=\/)/, "");
  return [response.statusCode, location, response.statusCode === 200 ? request.url : "", headers["x-robots-tag"] || ""];
}

const answers = JSON.parse(readFileSync(0, "utf8")).map(({ config, folder, paths }) => {
  DEFAULT_CONFIG.outputLocation = folder;
  return Object.fromEntries(paths.map((path) => [path, answered(structuredClone(config), path)]));
});
console.log(JSON.stringify({ answers }));
