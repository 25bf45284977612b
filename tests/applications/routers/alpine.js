// Its own router is the address bar: each link loads the shell again.
import Alpine from 'alpinejs'
import { load, MISSING, setHead } from './site.js'

document.querySelector('#app').innerHTML = `
  <div x-data="page">
    <a href="/">Home</a>
    <p x-show="!found">Loading…</p>
    <template x-if="found">
      <main>
        <h1 x-text="found.title"></h1>
        <p x-text="found.text"></p>
        <template x-for="to in found.links"><a :href="to" x-text="to"></a></template>
      </main>
    </template>
  </div>`

Alpine.data('page', () => ({
  found: null,
  async init() {
    const found = (await load()) ?? MISSING
    if (found.moved) return location.replace(found.moved)
    this.found = found
    setHead(found)
  },
}))
Alpine.start()
