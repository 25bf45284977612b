import { createApp, h } from 'vue'

const views = {
  '/app/': ['Planner', ['/app/routes', '/app/weather']],
  '/app/routes': ['Routes', ['/app/routes/coast', '/app/']],
  '/app/routes/coast': ['Along the coast', ['/app/routes', '/ferries.html']],
  '/app/weather': ['Weather', ['/app/']],
}
const [title, links] = views[location.pathname] ?? ['Page not found', []]
document.title = `${title} | Islands`
createApp({
  render: () => [h('h1', title), h('ul', links.map((path) => h('li', h('a', { href: path }, path))))],
}).mount('#app')
