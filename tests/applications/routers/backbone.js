import Backbone from 'backbone'
import jquery from 'jquery'
import { html, MISSING, setHead } from './site.js'

Backbone.$ = jquery
const Page = Backbone.Model.extend({ url() { return `/api/pages/${this.id}` } })
const Main = Backbone.View.extend({
  el: '#app',
  events: { 'click a': 'follow' },
  initialize() { this.listenTo(this.model, 'sync', this.render) },
  render() {
    const page = this.model.toJSON()
    if (page.moved) return router.navigate(page.moved, { trigger: true, replace: true })
    setHead(page)
    this.el.innerHTML = html(page)
  },
  follow(event) {
    event.preventDefault()
    router.navigate(event.target.getAttribute('href'), { trigger: true })
  },
})
const Site = Backbone.Router.extend({
  routes: { '*path': 'show' },
  show(path) {
    this.view?.undelegateEvents()
    this.view?.stopListening()
    const model = new Page({ id: path ?? '' })
    this.view = new Main({ model })
    model.fetch({ error: () => model.set(MISSING).trigger('sync') })
  },
})
const router = new Site()
Backbone.history.start({ pushState: true })
