import { createRouter, createWebHistory, RouterView } from 'vue-router'
import Home from './Home.vue'
import Note from './Note.vue'
import Rooms from './Rooms.vue'

const note = (path, title, text, head = {}) => ({ path, component: Note, props: { title, text }, meta: { title, ...head } })

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: '/', component: Home, meta: { title: 'Today' } },
    note('/visit', 'Visit', 'Open from ten to six.', { canonical: '/visit' }),
    {
      path: '/rooms',
      component: Rooms,
      children: [
        note('', 'Rooms', 'Two floors.', { title: 'Rooms' }),
        note('ground', 'Ground floor', 'The oldest works.'),
        {
          path: 'upper',
          component: RouterView,
          children: [
            note('', 'Upper floor', 'With a balcony.', { title: 'Upper floor' }),
            note('balcony', 'Balcony', 'A view of the harbour.'),
          ],
        },
      ],
    },
    // Views of their own chunks: a second request before anything is shown.
    { path: '/paintings', component: () => import('./Paintings.vue'), meta: { title: 'Paintings' } },
    { path: '/paintings/:name', component: () => import('./Painting.vue'), meta: { title: 'Painting' } },
    { path: '/tour', component: () => import('./Tour.vue'), meta: { title: 'Tour' } },
    note('/night', 'Night', 'The poster of the museum by night.', { canonical: '/paintings/night' }),
    note('/depot', 'Depot', 'What is not shown.', { robots: 'noindex' }),
    note('/withdrawn', 'Withdrawn', 'Given back.'),
    { path: '/opening-hours', redirect: '/visit' },
    note('/:rest(.*)*', 'Not found', 'This room does not exist.'),
  ],
})

router.afterEach(({ meta }) => {
  document.title = `${meta.title} · Museum`
  document.querySelectorAll('meta[name=robots], link[rel=canonical]').forEach((element) => element.remove())
  if (meta.robots) add('meta', { name: 'robots', content: meta.robots })
  if (meta.canonical) add('link', { rel: 'canonical', href: `https://museum.example.com${meta.canonical}` })
})

function add(tag, attributes) {
  document.head.append(Object.assign(document.createElement(tag), attributes))
}
