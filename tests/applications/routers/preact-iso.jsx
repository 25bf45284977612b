/** @jsxImportSource preact */
import { render } from 'preact'
import lazy from 'preact-iso/lazy'
import { LocationProvider, Router, useLocation } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import { load, MISSING, setHead } from './site.js'

function Page() {
  const { path, route } = useLocation()
  const [page, setPage] = useState(null)
  useEffect(() => {
    load(path).then((found) => {
      if (found?.moved) return route(found.moved, true)
      setPage(found ?? MISSING)
      setHead(found ?? MISSING)
    })
  }, [path])
  if (!page) return <div class="spinner" />
  return <main><h1>{page.title}</h1><p>{page.text}</p>{page.links.map((to) => <a href={to}>{to}</a>)}</main>
}

const Late = lazy(async () => Page)
const App = () => <LocationProvider><a href="/">Home</a><Router><Late default /></Router></LocationProvider>
render(<App />, document.getElementById('app'))
