// Saves the chart of a page as a PNG, drawn from its SVG file: twice as large, on white.
const png = document.getElementById("png"), svg = document.getElementById("svg");
if (png && svg) {
  png.hidden = false;
  png.addEventListener("click", (event) => {
    event.preventDefault();
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * image.naturalWidth;
      canvas.height = 2 * image.naturalHeight;
      const context = canvas.getContext("2d");
      context.fillStyle = "#fff";
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = "attention.png";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      }, "image/png");
    };
    image.src = svg.href;
  });
}
