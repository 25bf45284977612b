import { A, Navigate, Route, Router } from '@solidjs/router'
import { createEffect, createResource, For, Match, Suspense, Switch } from 'solid-js'
import { render } from 'solid-js/web'
import { load, MISSING, setHead } from './site.js'

function View(at) {
  const [page] = createResource(() => at.location.pathname, async (path) => (await load(path)) ?? MISSING)
  createEffect(() => page() && !page().moved && setHead(page()))
  return (
    <Switch>
      <Match when={page()?.moved}><Navigate href={page().moved} /></Match>
      <Match when={page()}>
        <h1>{page().title}</h1>
        <p>{page().text}</p>
        <For each={page().links}>{(to) => <A href={to}>{to}</A>}</For>
      </Match>
    </Switch>
  )
}

const Frame = (at) => <><A href="/">Home</A><Suspense fallback={<p>Loading…</p>}>{at.children}</Suspense></>
render(() => <Router root={Frame}><Route path="*" component={View} /></Router>, document.getElementById('app'))
