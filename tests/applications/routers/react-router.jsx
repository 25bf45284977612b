import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, Link, Outlet, redirect, RouterProvider, useLoaderData } from 'react-router'
import { load, MISSING, setHead } from './site.js'

async function loader({ request }) {
  const page = await load(new URL(request.url).pathname)
  if (page?.moved) throw redirect(page.moved)
  if (!page) throw new Response('', { status: 404 })
  return page
}

const Frame = () => <><header><Link to="/">Home</Link></header><Outlet /></>
const Loading = () => <p>Loading…</p>

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

const Page = () => <View page={useLoaderData()} />
const Missing = () => <View page={MISSING} />
const view = { loader, element: <Page />, errorElement: <Missing /> }
const children = [{ index: true, ...view }, { path: '*', ...view }]
const router = createBrowserRouter([{ path: '/', element: <Frame />, HydrateFallback: Loading, children }])
createRoot(document.getElementById('app')).render(<RouterProvider router={router} />)
