import { ref } from 'vue'

export function usePaintings() {
  const paintings = ref([])
  fetch('/api/paintings.json')
    .then((answer) => answer.json())
    .then((found) => (paintings.value = found))
  return paintings
}
