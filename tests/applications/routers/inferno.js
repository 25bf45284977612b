import { Component, render } from 'inferno'
import { createElement } from 'inferno-create-element'
import { BrowserRouter, Link, Redirect, Route } from 'inferno-router'
import { loadAfterSession, MISSING, setHead } from './site.js'

class Page extends Component {
  state = { page: null }

  async componentDidMount() {
    const page = (await loadAfterSession(this.props.location.pathname)) ?? MISSING
    if (!page.moved) setHead(page)
    this.setState({ page })
  }

  render() {
    const { page } = this.state
    if (!page) return createElement('p', { className: 'loading' })
    if (page.moved) return createElement(Redirect, { to: page.moved })
    const links = page.links.map((to) => createElement(Link, { key: to, to }, to))
    return createElement('main', null, createElement('h1', null, page.title), createElement('p', null, page.text), links)
  }
}

const route = createElement(Route, { path: '/', render: (at) => createElement(Page, { key: at.location.pathname, ...at }) })
const frame = createElement('div', null, createElement(Link, { to: '/' }, 'Home'), route)
render(createElement(BrowserRouter, null, frame), document.getElementById('app'))
