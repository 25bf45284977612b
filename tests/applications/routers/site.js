// What the interface of the site says of a page: its title, text, links, and what its head shall state. `null`: there is none.
export async function load(path = location.pathname) {
  const answer = await fetch(`/api/pages${path}`)
  return answer.ok ? answer.json() : null
}

// The same in two steps, where an application asks first who is there.
export async function loadAfterSession(path) {
  await (await fetch('/api/session')).json()
  return load(path)
}

// The same by XMLHttpRequest, with the links in a second answer, as a menu has them.
export async function loadParts(path) {
  const page = await request(`/api/texts${path}`)
  return page && { ...page, links: (await request(`/api/links${path}`)).links }
}

function request(address) {
  return new Promise((done) => {
    const asked = new XMLHttpRequest()
    asked.open('GET', address)
    asked.onload = () => done(asked.status === 200 ? JSON.parse(asked.responseText) : null)
    asked.send()
  })
}

export const MISSING = { title: 'Nothing is here', text: 'We could not find what you asked for.', links: [] }

export function setHead({ title, robots, canonical }) {
  document.title = title
  set('meta[name=robots]', 'meta', { name: 'robots', content: robots })
  set('link[rel=canonical]', 'link', { rel: 'canonical', href: canonical && location.origin + canonical })
}

function set(selector, tag, attributes) {
  document.querySelector(selector)?.remove()
  if (Object.values(attributes).every(Boolean)) {
    document.head.append(Object.assign(document.createElement(tag), attributes))
  }
}

// A page as HTML, for routers that leave the view to others.
export function html({ title, text, links }) {
  return `<h1>${title}</h1><p>${text}</p><ul>${links.map((to) => `<li><a href="${to}">${to}</a></li>`).join('')}</ul>`
}
