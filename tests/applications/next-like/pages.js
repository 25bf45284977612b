// Pages that a server has rendered into #__next, with the data and the scripts that take them over in the browser.
import { mkdir, writeFile } from 'node:fs/promises'
import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'

const PORTS = ['amble', 'brae', 'calder', 'dunmore', 'elie', 'findhorn', 'gairloch', 'harris', 'islay', 'jura']
const SCRIPTS = ['webpack', 'framework', 'main', 'pages/_app', 'pages/index', '_buildManifest', '_ssgManifest']

function Links({ current }) {
  const others = PORTS.filter((port) => port !== current)
  return h('ul', null, others.map((port) => h('li', { key: port }, h('a', { href: `/ports/${port}` }, port))))
}

function Page({ title, text, current }) {
  return h('div', { className: 'page' }, h('h1', null, title), h('p', null, text), h(Links, { current }))
}

function html(properties) {
  const scripts = SCRIPTS.map((name) => `<script src="/_next/static/${name}.js" defer></script>`).join('')
  const data = JSON.stringify({ props: { pageProps: properties }, page: '/', buildId: 'pilot' })
  const head = `<meta charset="utf-8"><title>${properties.title}</title>${scripts}`
  const body = `<div id="__next">${renderToString(h(Page, properties))}</div><script id="__NEXT_DATA__" type="application/json">${data}</script>`
  return `<!DOCTYPE html><html lang="en"><head>${head}</head><body>${body}</body></html>`
}

export async function prerender(folder) {
  await mkdir(`${folder}/ports`, { recursive: true })
  await mkdir(`${folder}/_next/static/pages`, { recursive: true })
  for (const name of SCRIPTS) await writeFile(`${folder}/_next/static/${name}.js`, 'self.__pilot = true\n')
  const page = (name, properties) => writeFile(`${folder}/${name}.html`, html(properties))
  await page('index', { title: 'Pilot book', text: 'Ten ports, from south to north.' })
  await page('404', { title: 'This page could not be found', text: '404' })
  for (const port of PORTS) await page(`ports/${port}`, { title: port, text: `How to enter ${port}.`, current: port })
}
