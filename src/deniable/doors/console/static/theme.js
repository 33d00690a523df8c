const chosen=localStorage.getItem("deniable-theme");(chosen==="dark"||chosen==="light")&&(document.documentElement.dataset.theme=chosen),document.documentElement.classList.add("scripted");
