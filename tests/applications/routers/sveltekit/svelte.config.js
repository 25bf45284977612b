import adapter from '@sveltejs/adapter-static'

export default { kit: { adapter: adapter({ pages: process.env.KIT_OUTPUT, fallback: 'index.html' }) } }
