import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { loadParts, MISSING, setHead } from './site.js'

function Page() {
  const [path] = useLocation()
  const [page, setPage] = useState(null)
  useEffect(() => { loadParts(path).then((found) => setPage(found ?? MISSING)) }, [path])
  useEffect(() => { if (page && !page.moved) setHead(page) }, [page])
  if (!page) return <p role="status">Please wait</p>
  if (page.moved) return <Redirect to={page.moved} replace />
  return <main><h1>{page.title}</h1><p>{page.text}</p>{page.links.map((to) => <Link key={to} href={to}>{to}</Link>)}</main>
}

const App = () => <><Link href="/">Home</Link><Switch><Route path="*" component={Page} /></Switch></>
createRoot(document.getElementById('app')).render(<App />)
