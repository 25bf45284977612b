import { createApp, h, ref, watch } from 'vue'
import { createRouter, createWebHistory, RouterLink, RouterView, useRoute, useRouter } from 'vue-router'
import { loadParts, MISSING, setHead } from './site.js'

const View = {
  setup() {
    const route = useRoute()
    const router = useRouter()
    const page = ref(null)
    const show = async () => {
      const found = (await loadParts(route.path)) ?? MISSING
      if (found.moved) return router.replace(found.moved)
      page.value = found
      setHead(found)
    }
    watch(() => route.path, show, { immediate: true })
    return () => page.value && h('main', [
      h('h1', page.value.title), h('p', page.value.text), page.value.links.map((to) => h(RouterLink, { key: to, to }, () => to)),
    ])
  },
}
const Frame = () => [h(RouterLink, { to: '/' }, () => 'Home'), h(RouterView)]
const router = createRouter({ history: createWebHistory(), routes: [{ path: '/:rest(.*)*', component: View }] })
createApp(Frame).use(router).mount('#app')
