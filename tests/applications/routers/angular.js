// Without a compiler of its own: components are compiled in the browser.
import '@angular/compiler'
import { ChangeDetectorRef, Component, inject, provideZonelessChangeDetection } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'
import { ActivatedRoute, provideRouter, Router, RouterLink, RouterOutlet } from '@angular/router'
import { load, MISSING, setHead } from './site.js'

const View = Component({
  selector: 'site-view',
  imports: [RouterLink],
  template: `@if (page) {<h1>{{ page.title }}</h1><p>{{ page.text }}</p>
    @for (to of page.links; track to) {<a [routerLink]="to">{{ to }}</a>}} @else {<p>Loading…</p>}`,
})(class {
  page = null

  constructor() {
    const changes = inject(ChangeDetectorRef)
    const router = inject(Router)
    inject(ActivatedRoute).url.subscribe(async (segments) => {
      const found = (await load(`/${segments.join('/')}`)) ?? MISSING
      if (found.moved) return router.navigateByUrl(found.moved, { replaceUrl: true })
      this.page = found
      setHead(found)
      changes.markForCheck()
    })
  }
})

const Frame = Component({
  selector: '#app',
  imports: [RouterLink, RouterOutlet],
  template: '<a routerLink="/">Home</a><router-outlet />',
})(class {})

const routes = [{ matcher: (segments) => ({ consumed: segments }), component: View }]
bootstrapApplication(Frame, { providers: [provideZonelessChangeDetection(), provideRouter(routes)] })
