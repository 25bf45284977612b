// Pages are Markdown of the server; what their heads state stands in their first line.
import { Docsify } from 'docsify'
import { setHead } from './site.js'

function states(hook) {
  hook.beforeEach((text) => {
    const [first, ...rest] = text.split('\n')
    if (!first.startsWith('{')) return text
    const page = JSON.parse(first)
    if (page.moved) location.replace(page.moved)
    else setTimeout(() => setHead(page))
    return rest.join('\n')
  })
}

new Docsify({
  el: '#app', routerMode: 'history', basePath: '/api/documents/', homepage: 'index.md', notFoundPage: true, plugins: [states],
})
