/** @jsxImportSource @builder.io/qwik */
import { component$, render, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { load, MISSING, setHead } from './site.js'

const Page = component$(() => {
  const page = useSignal(null)
  useVisibleTask$(async () => {
    const found = (await load()) ?? MISSING
    if (found.moved) return location.replace(found.moved)
    page.value = found
    setHead(found)
  }, { strategy: 'document-ready' })
  return (
    <>
      <a href="/">Home</a>
      {page.value
        ? <main><h1>{page.value.title}</h1><p>{page.value.text}</p>{page.value.links.map((to) => <a key={to} href={to}>{to}</a>)}</main>
        : <p>Loading…</p>}
    </>
  )
})

render(document.getElementById('app'), <Page />)
