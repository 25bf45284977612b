import { mount } from 'svelte'
import Navaid from './Navaid.svelte'

mount(Navaid, { target: document.getElementById('app') })
