import m from 'mithril'
import { MISSING, setHead } from './site.js'

function Page() {
  let page = null
  return {
    oninit: ({ attrs }) =>
      m.request({ url: `/api/pages/${attrs.path ?? ''}`, extract: (asked) => asked.status === 200 ? JSON.parse(asked.responseText) : MISSING })
        .then((found) => {
          if (found.moved) return m.route.set(found.moved, null, { replace: true })
          page = found
          setHead(found)
        }),
    view: () => [
      m(m.route.Link, { href: '/' }, 'Home'),
      page
        ? m('main', [m('h1', page.title), m('p', page.text), page.links.map((to) => m(m.route.Link, { href: to }, to))])
        : m('p', 'Loading…'),
    ],
  }
}

m.route.prefix = ''
m.route(document.getElementById('app'), '/', { '/': Page, '/:path...': { render: ({ attrs }) => [m(Page, { key: attrs.path, ...attrs })] } })
