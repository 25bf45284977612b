// Builds every application of this folder into the folder that OUTPUT names.
import { qwikVite } from '@builder.io/qwik/optimizer'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import vue from '@vitejs/plugin-vue'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { build } from 'vite'
import solid from 'vite-plugin-solid'
import { prerender } from './next-like/pages.js'

const output = process.env.OUTPUT

async function application(name, plugins = [], input = 'index.html') {
  const outDir = resolve(output, name)
  await build({
    root: resolve(name),
    configFile: false,
    logLevel: 'error',
    plugins,
    build: { outDir, emptyOutDir: true, rollupOptions: { input: resolve(name, input) } },
  })
  return outDir
}

// A page that a step after the build writes: the shell, with a directive of its own.
async function withdraw(folder) {
  const shell = await readFile(`${folder}/index.html`, 'utf8')
  await mkdir(`${folder}/withdrawn`)
  await writeFile(`${folder}/withdrawn/index.html`, shell.replace('<title>', '<meta name="robots" content="noindex"><title>'))
}

await Promise.all([
  application('react').then(withdraw),
  application('vue', [vue({ template: { transformAssetUrls: false } })]).then(withdraw),
  application('svelte', [svelte({ configFile: false })]).then(withdraw),
  application('mixed', [], 'app/index.html'),
  prerender(resolve(output, 'next-like')),
])

// Each script of `routers` but the common one is an application, for the same pages and interface.
const PLUGINS = { qwik: () => qwikVite({ csr: true, srcDir: resolve('routers') }), solid, svelte: () => svelte({ configFile: false }) }
for (const file of await readdir('routers')) {
  const name = basename(file, extname(file))
  if (!['.js', '.jsx'].includes(extname(file)) || name === 'site') continue
  const root = resolve('routers/.work', name)
  const outDir = resolve(output, 'routers', name)
  await mkdir(root, { recursive: true })
  const script = `<script type="module" src="../../${file}"></script>`
  await writeFile(`${root}/index.html`, `<!doctype html><html lang="en"><title>Site</title><body><div id="app"></div>${script}</body></html>`)
  const plugins = PLUGINS[name] ? [PLUGINS[name]()] : []
  const options = { outDir, emptyOutDir: true, rollupOptions: { input: `${root}/index.html` } }
  await build({ root, configFile: false, logLevel: 'error', plugins, build: options })
}

// SvelteKit reads its config from the folder that it is started in.
const kit = { cwd: 'routers/sveltekit', env: { ...process.env, KIT_OUTPUT: resolve(output, 'routers/sveltekit') }, stdio: ['ignore', 'ignore', 'inherit'] }
execFileSync(resolve('node_modules/.bin/vite'), ['build'], kit)
