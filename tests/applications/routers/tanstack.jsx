import { createRootRoute, createRoute, createRouter, Link, notFound, Outlet, redirect, RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { loadAfterSession, MISSING, setHead } from './site.js'

function View({ page }) {
  useEffect(() => setHead(page), [page])
  return (
    <main>
      <h1>{page.title}</h1>
      <p>{page.text}</p>
      {page.links.map((to) => <Link key={to} to={to}>{to}</Link>)}
    </main>
  )
}

async function loader({ location }) {
  const page = await loadAfterSession(location.pathname)
  if (page?.moved) throw redirect({ to: page.moved, replace: true })
  if (!page) throw notFound()
  return page
}

const Missing = () => <View page={MISSING} />
const top = createRootRoute({ component: () => <><Link to="/">Home</Link><Outlet /></>, notFoundComponent: Missing })
const common = { getParentRoute: () => top, loader, notFoundComponent: Missing, pendingComponent: () => <p>Please wait</p> }
const home = createRoute({ ...common, path: '/', component: () => <View page={home.useLoaderData()} /> })
const other = createRoute({ ...common, path: '$', component: () => <View page={other.useLoaderData()} /> })
const router = createRouter({ routeTree: top.addChildren([home, other]), defaultPendingMs: 0 })
createRoot(document.getElementById('app')).render(<RouterProvider router={router} />)
