import { mount } from 'svelte'
import Cinema from './Cinema.svelte'

mount(Cinema, { target: document.body })
