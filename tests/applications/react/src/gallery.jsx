// A page that asks for what says nothing about links: pictures, a font, a socket, storage, a worker, a dialog.
import { useEffect } from 'react'
import { useHead } from './head.js'

export function Gallery() {
  useHead({ title: 'Gallery' })
  useEffect(() => {
    new WebSocket(`${location.origin.replace('http', 'ws')}/visitors`)
    new FontFace('Workshop', 'url(/fonts/workshop.woff2)').load().catch(() => {})
    navigator.serviceWorker?.register('/worker.js').catch(() => {})
    localStorage.setItem('seen', 'gallery')
    alert('Welcome')
  }, [])
  return (
    <>
      <h1>Gallery</h1>
      <img src="/images/lamp.svg" alt="A lamp" />
      <img src="/images/desk.png" alt="A desk" />
    </>
  )
}
