import Navigo from 'navigo'
import { html, load, MISSING, setHead } from './site.js'

const view = document.querySelector('#app')
const router = new Navigo('/')

async function show({ url }) {
  view.innerHTML = '<a href="/" data-navigo>Home</a><p>Loading…</p>'
  const page = (await load(`/${url}`)) ?? MISSING
  if (page.moved) return router.navigate(page.moved, { historyAPIMethod: 'replaceState' })
  setHead(page)
  view.innerHTML = html(page).replaceAll('<a ', '<a data-navigo ')
  router.updatePageLinks()
}

router.on('*', show).resolve()
