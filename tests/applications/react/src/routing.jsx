import { Link, Navigate, Outlet, Route, Routes } from 'react-router'
import { Gallery } from './gallery.jsx'
import { useHead } from './head.js'
import { Product, Products } from './products.jsx'

export function Routing() {
  return (
    <Routes>
      <Route element={<Frame />}>
        <Route index element={<Home />} />
        <Route path="about" element={<View title="About" text="Three people and a lathe, since 1998." canonical="/about" />} />
        <Route path="guides" element={<Guides />}>
          <Route index element={<View title="Guides" text="How to put things together." />} />
          <Route path="install">
            <Route index element={<Install />} />
            <Route path="wall" element={<View title="On a wall" text="Four screws, and a second pair of hands." />} />
          </Route>
          <Route path="care" element={<View title="Care" text="Oil it once a year." />} />
        </Route>
        <Route path="products" element={<Products />} />
        <Route path="products/:name" element={<Product />} />
        <Route path="gallery" element={<Gallery />} />
        <Route path="lamp" element={<View title="Lamp" text="A lamp, as printed on the leaflet." canonical="/products/lamp" />} />
        <Route path="staff" element={<View title="Staff" text="Opening hours of the storeroom." robots="noindex" />} />
        <Route path="withdrawn" element={<View title="Withdrawn" text="No longer made." />} />
        <Route path="company" element={<Navigate to="/about" replace />} />
        <Route path="*" element={<View title="Page not found" text="There is nothing here." />} />
      </Route>
    </Routes>
  )
}

function Frame() {
  return (
    <>
      <header>
        <Link to="/">Workshop</Link> <Link to="/guides">Guides</Link> <Link to="/products">Products</Link>
      </header>
      <main>
        <Outlet />
      </main>
    </>
  )
}

function Home() {
  useHead({ title: 'Home' })
  return (
    <>
      <h1>Furniture that lasts</h1>
      <ul>
        {['about', 'gallery', 'lamp', 'staff', 'withdrawn/', 'company', 'no-such-page'].map((path) => (
          <li key={path}>
            <Link to={`/${path}`}>{path}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function Guides() {
  return (
    <>
      <nav>
        <Link to="install">Install</Link> <Link to="care">Care</Link>
      </nav>
      <Outlet />
    </>
  )
}

function Install() {
  return (
    <>
      <View title="Install" text="On the floor, or on a wall." />
      <Link to="wall">On a wall</Link>
    </>
  )
}

export function View({ title, text, canonical, robots }) {
  useHead({ title, canonical, robots })
  return (
    <article>
      <h1>{title}</h1>
      <p>{text}</p>
    </article>
  )
}
