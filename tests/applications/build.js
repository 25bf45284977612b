// Builds every application of this folder into the folder that OUTPUT names.
import { svelte } from '@sveltejs/vite-plugin-svelte'
import vue from '@vitejs/plugin-vue'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { build } from 'vite'
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
