// What Netlify's parsers and matcher make of the control files in a folder: {folder, host, paths} → {errors, matches, headers, tags}; of a list of such questions {answers}
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const modules = process.env.NODE_PATH;
const { parseAllRedirects } = await import(`${modules}/@netlify/redirect-parser/lib/index.js`);
const { parseAllHeaders } = await import(`${modules}/@netlify/headers-parser/lib/index.js`);
const redirector = createRequire(import.meta.url)(`${modules}/netlify-redirector`);

// As netlify-cli names the fields.
function renamed({ conditions: { country, language, role, ...conditions }, from, query, ...redirect }) {
  const named = { ...conditions, ...(role && { Role: role }), ...(country && { Country: country }), ...(language && { Language: language }) };
  return { ...redirect, origin: from, params: query, conditions: named };
}

async function answered({ folder, host, paths }) {
  const files = { redirectsFiles: [`${folder}/_redirects`], netlifyConfigPath: `${folder}/netlify.toml` };
  const { redirects, errors } = await parseAllRedirects({ ...files, configRedirects: [], minimal: false });
  const headerFiles = { headersFiles: [`${folder}/_headers`], netlifyConfigPath: `${folder}/netlify.toml` };
  const { headers } = await parseAllHeaders({ ...headerFiles, configHeaders: [], minimal: false });
  const tags = Object.fromEntries(paths.map((path) => [path, headers.filter((one) => one.forRegExp.test(path)).map((one) => one.values)]));
  const matcher = await redirector.parseJSON(JSON.stringify(redirects.map(renamed)), { jwtSecret: "", jwtRoleClaim: "" });
  const request = { scheme: "https", host, query: "", headers: {}, cookieValues: {}, getHeader: () => "", getCookie: () => "" };
  const matches = Object.fromEntries(paths.map((path) => [path, matcher.match({ ...request, path })]));
  return { errors: errors.map((error) => error.message), matches, headers, tags };
}

const question = JSON.parse(readFileSync(0, "utf8"));
const found = Array.isArray(question) ? { answers: await Promise.all(question.map(answered)) } : await answered(question);
console.log(JSON.stringify(found));
