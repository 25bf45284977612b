import { initDomListeners, route, router, setBase } from '@riotjs/route'
import { component } from 'riot'
import { html, load, MISSING, setHead } from './site.js'

const Frame = component({
  name: 'site-frame',
  template: (template) => template('<a href="/">Home</a><article><p>Loading…</p></article>', []),
  exports: {
    onMounted() {
      setBase(location.origin)
      route('(.*)').on.value((url) => this.show(url.pathname))
      initDomListeners(this.root)
      router.push(location.href)
    },
    async show(path) {
      const page = (await load(path)) ?? MISSING
      if (page.moved) {
        history.replaceState(null, '', page.moved)
        return this.show(page.moved)
      }
      setHead(page)
      this.$('article').innerHTML = html(page)
    },
  },
})
Frame(document.getElementById('app'))
