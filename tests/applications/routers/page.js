import page from 'page'
import { html, loadParts, MISSING, setHead } from './site.js'

page('*', async ({ pathname }, next) => {
  document.querySelector('#app').innerHTML = '<a href="/">Home</a> <progress></progress>'
  const found = await loadParts(pathname)
  if (!found) return next()
  if (found.moved) return page.redirect(found.moved)
  setHead(found)
  document.querySelector('#app').innerHTML = html(found)
})
page('*', () => {
  setHead(MISSING)
  document.querySelector('#app').innerHTML = html(MISSING)
})
page()
