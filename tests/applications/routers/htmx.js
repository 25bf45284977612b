// Views are HTML of the server; what the head states comes in a header of the answer.
import htmx from 'htmx.org'
import { setHead } from './site.js'

document.body.addEventListener('htmx:after:request', ({ detail }) => {
  const page = JSON.parse(detail.ctx.response.headers.get('X-Head'))
  if (page.moved) location.replace(page.moved)
  else setHead(page)
})
const main = document.querySelector('#app')
main.setAttribute('hx-get', `/api/views${location.pathname}`)
main.setAttribute('hx-trigger', 'load')
main.innerHTML = '<a href="/">Home</a> <p class="htmx-indicator">Loading…</p>'
htmx.process(main)
