// What the document states about itself, set when a view is shown.
import { useEffect } from 'react'

export function useHead({ title, canonical, robots }) {
  useEffect(() => {
    document.title = `${title} | Workshop`
    set('meta[name=robots]', 'meta', { name: 'robots', content: robots })
    set('link[rel=canonical]', 'link', { rel: 'canonical', href: canonical && new URL(canonical, 'https://workshop.example.com').href })
  }, [title, canonical, robots])
}

function set(selector, tag, attributes) {
  document.querySelector(selector)?.remove()
  if (Object.values(attributes).every(Boolean)) {
    document.head.append(Object.assign(document.createElement(tag), attributes))
  }
}
