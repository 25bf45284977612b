import { error, redirect } from '@sveltejs/kit'

export async function load({ fetch, url }) {
  const answer = await fetch(`/api/pages${url.pathname}`)
  if (!answer.ok) error(404, 'Nothing is here')
  const page = await answer.json()
  if (page.moved) redirect(307, page.moved)
  return { page }
}
