import { createApp } from 'vue'
import Museum from './Museum.vue'
import { router } from './router.js'

createApp(Museum).use(router).mount('#app')
