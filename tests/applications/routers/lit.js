import { Router } from '@lit-labs/router'
import { html, LitElement } from 'lit'
import { load, MISSING, setHead } from './site.js'

class SitePage extends LitElement {
  static properties = { path: {}, page: { state: true } }

  updated(changed) {
    if (changed.has('path')) this.show()
  }

  async show() {
    const found = (await load(this.path)) ?? MISSING
    if (found.moved) {
      history.replaceState({}, '', found.moved)
      this.path = found.moved
      return
    }
    this.page = found
    setHead(found)
  }

  render() {
    if (!this.page) return html`<p>Loading…</p>`
    return html`<h1>${this.page.title}</h1><p>${this.page.text}</p>${this.page.links.map((to) => html`<a href=${to}>${to}</a> `)}`
  }
}

class SiteFrame extends LitElement {
  router = new Router(this, [{ path: '/*', render: () => html`<site-page .path=${location.pathname}></site-page>` }])

  render() {
    return html`<header><a href="/">Home</a></header>${this.router.outlet()}`
  }
}

customElements.define('site-page', SitePage)
customElements.define('site-frame', SiteFrame)
document.getElementById('app').append(document.createElement('site-frame'))
